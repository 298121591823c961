import { stepsInWords } from "./kinds";

/** What something was and is; one of them alone where there is nothing to compare it with. */
export function BeforeAfter({ before, after }: { before: string; after: string }) {
  return (
    <>
      {before && <code>{stepsInWords(before)}</code>}
      {before && after && " → "}
      {after && <code>{stepsInWords(after)}</code>}
    </>
  );
}
