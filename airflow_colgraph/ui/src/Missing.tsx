/** That lineage is missing, with the reasons on pointing at it; nothing without a reason. */
export function Missing({ why }: { why: readonly string[] }) {
  return why.length > 0 && <small className="lacking" title={why.join("\n")}> ⚠ lineage missing</small>;
}
