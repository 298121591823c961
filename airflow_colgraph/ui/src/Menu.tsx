import { type FocusEvent, type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";

/** A menu that closes when it is left and by Escape; `once`: also when something in it is clicked. */
export function Menu({ title, className, once = false, children }: {
  title: string; className: string; once?: boolean; children: ReactNode;
}) {
  const menu = useRef<HTMLDetailsElement>(null);
  const close = (): void => void (menu.current && (menu.current.open = false));
  const leave = (event: FocusEvent): void => { // to nothing: some browsers do not focus what is clicked
    if (event.relatedTarget && !menu.current?.contains(event.relatedTarget)) close();
  };
  useEffect(() => {
    const away = (event: PointerEvent): void => {
      if (!menu.current?.contains(event.target as Node)) close();
    };
    document.addEventListener("pointerdown", away);
    return () => document.removeEventListener("pointerdown", away);
  }, []);
  const escape = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !menu.current?.open) return;
    event.stopPropagation(); // what is selected in the picture stays so
    close();
    menu.current.querySelector("summary")?.focus();
  };
  return (
    <details ref={menu} className={`drop ${className}`} onBlur={leave} onKeyDown={escape}>
      <summary title={title}>{title}</summary>
      <div className="menu" onClick={once ? close : undefined}>{children}</div>
    </details>
  );
}
