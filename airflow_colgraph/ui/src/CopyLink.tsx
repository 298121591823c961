import { useEffect, useState } from "react";
import { usePlace } from "./navigate";
import { link } from "./outer";

/** Puts the address of what is shown on the clipboard; where there is none, shows it to be copied. */
export function CopyLink() {
  const { search } = usePlace();
  const [done, setDone] = useState<"" | "copied" | "shown">("");
  useEffect(() => setDone(""), [search]);
  const copy = (): void => {
    const written = navigator.clipboard?.writeText(link(search)) ?? Promise.reject(new Error("insecure context"));
    written.then(() => setDone("copied"), () => setDone("shown"));
  };
  return (
    <span className="copy">
      <button type="button" onClick={copy}>Copy link</button>
      <span role="status">{done === "copied" && "Copied"}</span>
      {done === "shown" && <input readOnly aria-label="Link to this view" value={link(search)} onFocus={(event) => event.target.select()} />}
    </span>
  );
}
