import { To } from "./navigate";
import type { FieldKey, Question, View } from "./url";

const WORDS: [Question | "", string][] = [
  ["", "Lineage"], ["copies", "Copies"], ["why", "Why different?"],
];

/** What can be asked of a field, but for what is `shown`. */
export function FieldQuestions({ field, shown, times = {} }: {
  field: FieldKey; shown: Question | ""; times?: Partial<Pick<View, "at" | "before">>;
}) {
  const [namespace, name, column] = field;
  return (
    <nav className="actions" aria-label={`Questions about ${column}`}>
      {WORDS.filter(([one]) => one !== shown).map(([show, words]) => (
        <To key={show} view={{ namespace, name, fields: [column], show, ...times }} className="button">{words}</To>
      ))}
    </nav>
  );
}
