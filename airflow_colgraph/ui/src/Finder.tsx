import { type FormEvent, useId, useState } from "react";
import type { Box } from "./graph";

/** Finds a dataset in a graph that is too large to be seen at once. */
export function Finder({ boxes, enter }: { boxes: Box[]; enter: (box: string) => void }) {
  const [text, setText] = useState("");
  const [missing, setMissing] = useState("");
  const names = useId();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const wanted = text.trim().toLowerCase();
    const found = boxes.find((box) => box.name.toLowerCase() === wanted) ?? boxes.find((box) => box.name.toLowerCase().includes(wanted));
    setMissing(wanted && !found ? text.trim() : "");
    if (wanted && found) enter(found.id);
  };
  return (
    <form onSubmit={submit} className="finder">
      <input
        type="search"
        aria-label="Find a dataset in the graph"
        placeholder="Find in the graph"
        list={names}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setMissing("");
        }}
      />
      <span role="status">{missing && `No dataset of this picture is called “${missing}”.`}</span>
      <datalist id={names}>{boxes.map((box) => <option key={box.id} value={box.name} />)}</datalist>
    </form>
  );
}
