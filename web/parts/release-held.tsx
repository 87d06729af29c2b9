import { text } from '../text/text.js';
import { Act } from './act.js';

/** The reasons that hold back a departure, or another identity of an administrator. */
const ENDS_ACCESS = new Set(['guard', 'protected', 'needs_admin']);

/** Puts what was written into force: red where that can end access. */
export function ReleaseHeld({ userId, reason }: { userId: string; reason: string }) {
  const path = `/held/${userId}/release`;
  return (
    <Act
      label={text.held.release}
      path={path}
      {...(ENDS_ACCESS.has(reason) ? { danger: text.held.releases(1) } : {})}
    />
  );
}
