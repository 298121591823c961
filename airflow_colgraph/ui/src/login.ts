// The login of `colgraph serve --oidc`: its routes are beside the page, which says so in a meta element.

const route = document.querySelector<HTMLMetaElement>('meta[name="colgraph-login"]')?.content ?? "";

/** Whether people may log in to this server. */
export const hasLogin = route !== "";

const addressOf = (name: string): string => new URL(`${route}/${name}`, document.baseURI).href;

/** Where to log in, and from there back to what is shown now. */
export const loginAddress = (): string => `${addressOf("login")}?${new URLSearchParams({ back: location.search })}`;

export const logoutAddress = (): string => addressOf("logout");

/** The name of who is logged in; null if nobody is. */
export async function user(): Promise<string | null> {
  const answer = await fetch(addressOf("user"), { credentials: "same-origin" });
  return answer.ok ? ((await answer.json()) as { name: string | null }).name : null;
}
