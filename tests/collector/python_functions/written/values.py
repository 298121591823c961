"""Scalar UDFs: the parameters are the input columns, and the only column is what is returned."""

from __future__ import annotations

import base64
import datetime
import hashlib
import json
import math
import re
import time
import uuid
from collections import Counter, defaultdict
from datetime import datetime as clock
from datetime import timedelta
from decimal import Decimal
from itertools import accumulate
from typing import Any

import numpy as np

CODES = {"ann": "A", "bob": "B"}
PATTERN = re.compile(r"(\w+) (\w+)")


def upper(name: str) -> str:
    """<- name"""
    return name.upper() if name is not None else None


def same(name: str, amount: float) -> str:
    """= name"""
    return name


def to_float(note: str) -> float | None:
    """<- note"""
    try:
        return float(note)
    except ValueError:
        return None


def to_int_or(note: str, quantity: int) -> int:
    """<- note, quantity"""
    try:
        return int(note)
    except (ValueError, TypeError):
        return quantity


def first_match(note: str) -> str:
    """<- note"""
    match = re.search(r"(\d+)", note)
    if match:
        return match.group(1)
    return ""


def swapped_words(note: str) -> str:
    """<- note"""
    m = PATTERN.match(note)
    if m is None:
        return note
    return f"{m.group(2)} {m.group(1)}"


def from_json(extra: str, name: str) -> str:
    """<- extra | name"""
    if name == "ann":
        return "skipped"
    data = json.loads(extra)
    return str(data.get("k", {})) + str(data["k"])


def deep_json(extra: str) -> int:
    """<- extra"""
    total = 0
    for key, value in json.loads(extra).items():
        if key != "id":
            total += int(value)
    return total


def banded(amount: float | None) -> str:
    """<- | amount"""
    if amount is None or math.isnan(amount):
        return "none"
    elif amount < 10:
        return "low"
    return "high"


def coded(name: str) -> str:
    """<- | name"""
    return CODES.get(name, "?")


def coded_or(name: str, note: str) -> str:
    """<- note | name"""
    return CODES[name] if name in CODES else note


def hashed(name: str) -> str:
    """<- name"""
    return hashlib.md5(name.encode("utf-8")).hexdigest()


def salted(name: str, id: int) -> str:
    """<- name, id"""
    h = hashlib.sha256()
    h.update(str(id).encode())
    h.update(name.encode())
    return h.hexdigest()


def encoded(name: str) -> str:
    """<- name"""
    return base64.b64encode(name.encode()).decode()


def masked(name: str) -> str:
    """<- name"""
    return name[0] + "*" * (len(name) - 2) + name[-1]


def random_id(name: str) -> str:
    """<-"""
    return str(uuid.uuid4())


def age(day: str) -> int:
    """<- day"""
    born = clock.strptime(day, "%Y-%m-%d")
    today = clock(2024, 3, 1)
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))


def next_day(day: str, quantity: int) -> str:
    """<- day, quantity"""
    return (datetime.date.fromisoformat(day) + timedelta(days=quantity)).isoformat()


def week_of(day: str) -> int:
    """<- day"""
    return datetime.datetime.strptime(day, "%Y-%m-%d").isocalendar()[1]


def weekend(day: str) -> bool:
    """<- day"""
    return datetime.date(*map(int, day.split("-"))).weekday() >= 5


def distance(amount: float, quantity: int) -> float:
    """<- amount, quantity"""
    x, y = map(math.radians, [amount or 0.0, quantity])
    return 2 * math.asin(min(1.0, math.sqrt(math.sin((x - y) / 2) ** 2)))


def joined(name: str, day: str, note: str) -> str:
    """<- name, day"""
    return "-".join([name, day])


def joined_known(*parts: Any) -> str:
    """<- id, name, amount, quantity, day, note, extra"""
    return "|".join(str(part) for part in parts if part is not None)


def keyed(**options: Any) -> str:
    """<- name"""
    return str(options["name"])


def money(amount: float | None, quantity: int) -> Decimal | None:
    """<- amount, quantity"""
    if amount is None:
        return None
    return (Decimal(str(amount)) * quantity).quantize(Decimal("0.01"))


def vowels(name: str) -> int:
    """<- | name"""
    return sum(1 for letter in name if letter in "aeiou")


def vowels_by_loop(name: str) -> int:
    """<- | name"""
    count = 0
    for letter in name.lower():
        if letter in ("a", "e"):
            count += 1
    return count


def longest(note: str) -> str:
    """<- note"""
    return max(note.split(), key=len, default="")


def sorted_words(note: str) -> str:
    """<- note"""
    words = note.split()
    words.sort(key=lambda word: (len(word), word))
    return " ".join(words)


def reversed_text(name: str) -> str:
    """<- name"""
    return name[::-1]


def bigrams(note: str) -> list[str]:
    """<- note"""
    words = note.split(" ")
    return [f"{a} {b}" for a, b in zip(words, words[1:])]


def either(name: str, note: str) -> str:
    """<- name, note"""
    return name or note


def bounded(quantity: int, id: int) -> int:
    """<- quantity, id"""
    return max(0, min(quantity, id))


def fizz(quantity: int) -> str:
    """<- quantity"""
    return "fizz" * (quantity % 3 == 0) + "buzz" * (quantity % 5 == 0) or str(quantity)


def collatz(quantity: int) -> int:
    """<- | quantity"""
    steps, n = 0, quantity + 1
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def factorial(quantity: int) -> int:
    """<- quantity"""
    return 1 if quantity < 2 else quantity * factorial(quantity - 1)


def as_dict(id: int, name: str, amount: float) -> dict[str, Any]:
    """<- id, name"""
    return {"id": id, "name": name.strip()}


def looked_in(name: str, note: str) -> bool:
    """<- name, note"""
    return name in note


def checked(amount: float, quantity: int) -> float:
    """<- amount | quantity"""
    if quantity < 0:
        raise ValueError(f"negative {quantity}")
    return amount if quantity else 0.0


def distinct_letters(name: str) -> int:
    """<- name"""
    return len(set(name))


def counted_letters(name: str) -> str:
    """<- name"""
    from collections import Counter

    return Counter(name).most_common(1)[0][0]


def switched(name: str, amount: float, quantity: int) -> float:
    """<- amount, quantity | name"""
    actions = {"ann": lambda x: x * 2, "bob": lambda x: x + quantity}
    return actions.get(name, lambda x: x)(amount)


def parsed_pairs(note: str) -> str:
    """<- note"""
    pairs = dict(part.split("=", 1) for part in note.split(";") if "=" in part)
    return pairs.get("k", "none")


def any_of(note: str, day: str) -> bool:
    """<- note"""
    return any(word in note for word in ("red", "blue"))


def filled(name: str) -> str:
    """<- name"""
    return name.rjust(8, "0").replace("0", "#").translate(str.maketrans("abc", "xyz"))


def logged(name: str) -> str:
    """<- name"""
    print("called with", name)
    return name.title()


def unlike(day: str) -> str:
    """<-"""
    today = datetime.date.today()
    return today.strftime("%Y")


def fallback(note: str, quantity: int, id: int) -> int:
    """<- quantity, id | note"""
    result = quantity
    try:
        int(note)
        result = id
    except ValueError as error:
        print(error)
    return result


def counted_before(note: str, quantity: int) -> int:
    """<- quantity | note"""
    seen = []
    try:
        seen.append(1)
        int(note)
        seen.append(quantity)
    except ValueError:
        pass
    return sum(seen)


def checked_number(note: str) -> int:
    if not note.isdigit():
        raise ValueError("no number")
    return 1


def helped(note: str) -> int:
    """<- | note"""
    try:
        return checked_number(note)
    except ValueError:
        return 0


def nested(note: str, extra: str) -> str:
    """<- extra, note"""
    try:
        return str(float(note))
    except ValueError:
        try:
            return str(json.loads(extra)["k"])
        except (KeyError, TypeError):
            return ""
    return "never"


def with_else(note: str, quantity: int) -> int:
    """<- quantity | note"""
    try:
        number = float(note)
    except ValueError:
        result = 0
    else:
        result = quantity if number > 3 else -1
    finally:
        print("done")
    return result


def year_of(quantity: int) -> str:
    """<- quantity"""
    return time.strftime("%Y", (1970 + quantity, 1, 1, 0, 0, 0, 0, 1, 0))


def default_of_later(quantity: int, amount: float, name: str) -> float:
    """<- quantity, amount | name"""
    value = 0.0
    by_name = defaultdict(lambda: value)
    by_name["bob"] = quantity
    value = amount
    return by_name[name]


def last_total(quantity: int, amount: float) -> float:
    """<- quantity, amount"""
    return list(accumulate([quantity], initial=amount))[-1]


def added_counts(quantity: int, amount: float) -> float:
    """<- quantity, amount"""
    counts = Counter({"x": quantity})
    counts.update(x=amount)
    return counts["x"]


def second_of_two(note: str, name: str) -> str:
    """<- name"""
    texts = map(str, [note, name])
    next(texts)
    for text in texts:
        return text
    return note


def rest_of_three(note: str, name: str, extra: str) -> str:
    """= name"""
    texts = iter((note, name, extra))
    next(texts)
    first, *_rest = texts
    return first


def written_over(quantity: int, amount: float) -> float:
    """<- amount"""
    totals, amounts = np.array([float(quantity)]), np.array([amount])
    np.multiply(amounts, amounts, totals)
    return float(totals[0])


def running_into(quantity: int, amount: float) -> float:
    """<- amount"""
    totals, amounts = np.array([float(quantity)]), np.array([amount])
    np.cumsum(amounts, 0, None, totals)
    return float(totals[0])


def node_of_id(quantity: int) -> str:
    """<- quantity"""
    return str(uuid.uuid1(quantity, 1))[-12:]  # the rest has the time
