import type { Tag } from "./api";

/** The tags that are set on a dataset or field. */
export function Tags({ tags }: { tags: Tag[] }) {
  if (!tags.length) return null;
  return (
    <span className="tags" role="list" aria-label="Tags">
      {tags.map(({ key, value }) => <span key={`${key} ${value}`} role="listitem" className="tag">{value ? `${key}: ${value}` : key}</span>)}
    </span>
  );
}

interface Props { description: string | null; owners?: { name: string; type: string }[]; tags: Tag[] }

/** What events say of a dataset or field for people; nothing if they say nothing. */
export function About({ description, owners = [], tags }: Props) {
  if (!description && !owners.length && !tags.length) return null;
  return (
    <div className="about">
      {description && <p className="description">{description}</p>}
      {owners.length > 0 && (
        <p>
          <small>{owners.length === 1 ? "Owner:" : "Owners:"}</small>{" "}
          {owners.map(({ name, type }) => (type ? `${name} (${type.toLowerCase().replaceAll("_", " ")})` : name)).join(", ")}
        </p>
      )}
      <Tags tags={tags} />
    </div>
  );
}
