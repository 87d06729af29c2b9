import { useEffect, useRef, type ReactNode } from 'react';

/** A page: its heading, which has the focus after a navigation, its actions and its content. */
export function Page({
  title,
  lead,
  actions,
  children,
}: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · talent-bridge`;
    heading.current?.focus();
  }, [title]);
  return (
    <div className="page stack">
      <header className="page-head">
        <div className="tight">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead !== undefined && <p className="secondary">{lead}</p>}
        </div>
        {actions !== undefined && <div className="row">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A part of a page below a heading of its own. */
export function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="section stack" aria-label={title}>
      <header className="page-head">
        <h2>{title}</h2>
        {actions !== undefined && <div className="row">{actions}</div>}
      </header>
      {children}
    </section>
  );
}
