/** How much a state asks for. */
export type Tone = 'good' | 'attention' | 'problem' | 'neutral';

/** A state: a dot and a word. */
export function State({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className={`state ${tone}`}>
      <span aria-hidden="true" className="dot" />
      {children}
    </span>
  );
}
