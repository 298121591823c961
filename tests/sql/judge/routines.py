"""Makes blocks of statements with variables, branches and loops, as routines have them. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.sql.judge.statements import Writer

VARIABLES = ("va", "vb")
COUNTER, ROW, FIELDS = "vi", "vr", ("id", "amount")
LOOPS = {"mysql": ("DO", "END WHILE"), "postgres": ("LOOP", "END LOOP")}


class Routine:
    """A block in the making, whose last statement writes what the variables have."""

    def __init__(self, writer: Writer) -> None:
        """Of a writer of MariaDB's or PostgreSQL's statements."""
        self.writer, self.random = writer, writer.random
        self.is_marked = writer.dialect.name == "mysql"

    def name(self, variable: str) -> str:
        return f"@{variable}" if self.is_marked else variable

    def set(self, variable: str, value: str) -> str:
        return f"SET @{variable} = {value}" if self.is_marked else f"{variable} := {value}"

    def value(self) -> str:
        """A number: of a query, of a variable, or a constant."""
        name = self.name(self.random.choice(VARIABLES))
        query = self.writer.single("int")
        return self.random.choice((query, query, query, name, f"{name} + 1", "7"))

    def assigned(self) -> str:
        return self.set(self.random.choice(VARIABLES), self.value())

    def inserted(self) -> str:
        name = self.name(self.random.choice(VARIABLES))
        if self.random.random() < 0.5:
            return f"INSERT INTO sink (id, total) VALUES (1, {name})"
        return f"INSERT INTO sink (id, total) SELECT id, {name} FROM raw"

    def branched(self) -> str:
        """IF, whose condition is a constant."""
        other = f" ELSE {self.assigned()};" if self.random.random() < 0.5 else ""
        return f"IF 1 = {self.random.choice((1, 2))} THEN {self.assigned()};{other} END IF"

    def looped(self) -> str:
        """A loop of three rounds."""
        start, end = LOOPS[self.writer.dialect.name]
        counter = self.name(COUNTER)
        body = [self.step(False) for _ in range(self.random.choice((2, 3, 4)))]
        steps = "; ".join((*body, self.set(COUNTER, f"{counter} + 1")))
        head = f"{self.set(COUNTER, '0')}; WHILE {counter} < 3 {start}"
        return f"{head} {steps}; {end}"

    def of_rows(self) -> str:
        """A loop over the rows of a query, whose row may be used in each step."""
        query = f"SELECT id, amount FROM raw{self.random.choice((' WHERE id > 1', ''))}"
        first = self.set(self.random.choice(VARIABLES), f"{ROW}.{self.random.choice(FIELDS)}")
        steps = [first, *(self.step(False) for _ in range(self.random.choice((1, 2))))]
        self.random.shuffle(steps)
        if self.random.random() < 0.5:
            steps.append(f"INSERT INTO sink (id, total) VALUES ({ROW}.id, {ROW}.amount)")
        if self.is_marked:
            return f"FOR {ROW} IN ({query}) DO {'; '.join(steps)}; END FOR"
        return f"FOR {ROW} IN {query} LOOP {'; '.join(steps)}; END LOOP"

    def step(self, is_outer: bool = True) -> str:
        makes = [self.assigned, self.assigned, self.inserted, self.branched]
        return self.random.choice([*makes, *([self.looped, self.of_rows] if is_outer else [])])()

    def statements(self) -> list[str]:
        """The block."""
        steps = [self.step() for _ in range(self.random.choice((1, 2, 3)))]
        body = "; ".join((*steps, self.inserted()))
        values = [self.writer.single("int") for _ in VARIABLES]
        if self.is_marked:
            sets = (self.set(*pair) for pair in zip(VARIABLES, values, strict=True))
            return [*sets, f"BEGIN NOT ATOMIC {body}; END"]
        pairs = zip(VARIABLES, values, strict=True)
        declared = f"{ROW} RECORD; " + "; ".join(
            f"{variable} BIGINT := {value}" for variable, value in pairs
        )
        return [f"DO $$ DECLARE {declared}; {COUNTER} INT := 0; BEGIN {body}; END $$"]
