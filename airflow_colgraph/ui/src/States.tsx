// What is shown instead of an answer: waiting, nothing, a refusal.

import { useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { type ApiError, useKey } from "./api";
import { hasLogin, loginAddress } from "./login";
import { amount } from "./graph";
import { To, usePlace } from "./navigate";

export function Loading({ what }: { what: string }) {
  return (
    <div className="state" role="status">
      <span className="bar" aria-hidden="true" />
      Loading {what}…
    </div>
  );
}

export function Empty({ children }: { children: ReactNode }) {
  return <div className="state" role="status">{children}</div>;
}

/** What a list has no room for, as an answer has 2 MB at most. */
export function LeftOut({ count, noun }: { count: number; noun: string }) {
  return count > 0 && <p className="warning" role="status">{amount(count, noun)} more than an answer of 2 MB has room for.</p>;
}

const NO_COLUMN = /^Field(?= ')/; // the API calls columns fields

/** The server's sentence with the word that the page has for a column. */
const ofColumns = (sentence: string): string => sentence.replace(NO_COLUMN, "Column").replace(/ Fields(?=: )/, " Columns");

export function Failed({ error }: { error: ApiError }) {
  const client = useQueryClient();
  const { view } = usePlace();
  const again = (): void => void client.invalidateQueries();
  if (error.status === 401) return <Login again={again} />;
  return (
    <div className="state failed" role="alert">
      <p>{ofColumns(error.message)}</p>
      {error.status === 403 && <p>Ask the people who run Airflow for access.</p>}
      {error.status === 404 && view.name && (
        <p><To view={{ q: NO_COLUMN.test(error.message) && view.fields[0] || (view.name.split("/").at(-1) ?? "") }}>Search for it</To></p>
      )}
      <button type="button" onClick={again}>Try again</button>
    </div>
  );
}

function Login({ again }: { again: () => void }) {
  const [key, setKey] = useState("");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    useKey(key.trim());
    again();
  };
  return (
    <form className="state" role="alert" onSubmit={submit}>
      {hasLogin ? (
        <p><a className="login" href={loginAddress()}>Log in</a>, or give an API key.</p>
      ) : (
        <p>You are not logged in. In Airflow: log in and reload. Elsewhere: give an API key.</p>
      )}
      <label>
        API key <input type="password" autoComplete="off" value={key} onChange={(e) => setKey(e.target.value)} />
      </label>{" "}
      <button type="submit">Use it</button>
    </form>
  );
}

/** The answer, or what stands for it. */
export function Answered<T>({ query, what, children }: {
  query: UseQueryResult<T, ApiError>; what: string; children: (answer: T) => ReactNode;
}) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error) return <Failed error={query.error} />;
  return <Loading what={what} />;
}
