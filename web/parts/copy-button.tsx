import { useState } from 'react';
import { text } from '../text/text.js';

/** Copies a value, and says that it did. */
export function CopyButton({ value, label = text.copy.copy }: { value: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = (): void => {
    void navigator.clipboard.writeText(value).then(() => setCopied(true));
  };
  return (
    <button
      type="button"
      className="plain"
      onClick={copy}
      onBlur={() => setCopied(false)}
      aria-label={`${label}: ${value}`}
    >
      <span aria-live="polite">{isCopied ? text.copy.copied : label}</span>
    </button>
  );
}

/** An id with a button that copies it. */
export function Id({ value }: { value: string }) {
  return (
    <span>
      <code>{value}</code> <CopyButton value={value} />
    </span>
  );
}
