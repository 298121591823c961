import { Menu } from "./Menu";
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
  const links = (className: string) => WORDS.filter(([show]) => show !== shown).map(([show, words]) => (
    <To key={show} view={{ namespace, name, fields: [column], show, ...times }} className={className}>{words}</To>
  ));
  return (
    <nav className="questions" aria-label={`Questions about ${column}`}>
      <div className="actions">{links("button")}</div>
      <Menu className="asked" title="Questions" once>{links("")}</Menu>
    </nav>
  );
}
