// The datasets that were opened last in this browser. Where it stores nothing there are none.

import { useEffect } from "react";
import { type Fields, useAnswer } from "./api";
import type { Dataset, View } from "./url";

const MOST = 8;

/** The key of this deployment's list: several may be below one origin. */
const key = (): string => `colgraph-recent ${new URL(document.baseURI).pathname}`;

/** The datasets in a stored text, as far as it has some. Pure. */
export function datasetsIn(text: string | null): Dataset[] {
  try {
    const stored: unknown = JSON.parse(text ?? "");
    return Array.isArray(stored) ? stored.filter(isDataset).map(([namespace, name]): Dataset => [namespace, name]).slice(0, MOST) : [];
  } catch {
    return [];
  }
}

const isDataset = (value: unknown): value is Dataset =>
  Array.isArray(value) && value.length === 2 && value.every((word) => typeof word === "string");

/** The list without the dataset. Pure. */
export const without = (datasets: readonly Dataset[], [namespace, name]: Dataset): Dataset[] =>
  datasets.filter(([space, other]) => space !== namespace || other !== name);

/** The datasets that were opened last, the latest first. */
export function recentDatasets(): Dataset[] {
  try {
    return datasetsIn(window.localStorage.getItem(key()));
  } catch {
    return []; // the browser blocks it
  }
}

function store(datasets: readonly Dataset[]): void {
  try {
    window.localStorage.setItem(key(), JSON.stringify(datasets.slice(0, MOST)));
  } catch {
    // blocked or full: the page does without
  }
}

/** Keep the dataset of the view as the latest once the server has answered; one that it does not have is taken off. */
export function useRecorded({ namespace, name }: View): void {
  const { data, error } = useAnswer<Fields>("fields", new URLSearchParams({ namespace, name }), name !== "");
  const absent = error?.status === 404;
  useEffect(() => {
    if (data) store([[data.namespace, data.name], ...without(recentDatasets(), [data.namespace, data.name])]);
    else if (absent) store(without(recentDatasets(), [namespace, name]));
  }, [data, absent, namespace, name]);
}
