/** Of how many the lineage is known, as a bar. */
export function Coverage({ known, of, what = "Datasets with known columns" }: { known: number; of: number; what?: string }) {
  return <meter className="coverage" aria-label={what} min={0} max={Math.max(1, of)} value={known} />;
}
