import { useQuery } from "@tanstack/react-query";
import { hasLogin, logoutAddress, user } from "./login";

/** Who is logged in, and the way out; nothing where nobody can log in. */
export function Account() {
  const { data } = useQuery({ queryKey: ["user"], queryFn: user, enabled: hasLogin });
  if (!data) return null;
  return (
    <form className="account" method="post" action={logoutAddress()}>
      <span>{data.replace(/^login:/, "")}</span> <button type="submit">Log out</button>
    </form>
  );
}
