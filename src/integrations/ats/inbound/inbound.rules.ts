import { isLongerThan } from '../../../base/characters.js';
import { isTidy } from '../../../base/http/fields.js';
import type { AtsRecordKind, InboundEffect } from '../connectors/connector.js';

/** How far ahead the time of an event may be: clocks differ. */
const AHEAD_MS = 5 * 60_000;

interface InboundSubject {
  kind: AtsRecordKind | null;
  remoteId: string | null;
}

export function subjectOf(effect: InboundEffect): InboundSubject {
  const { kind, remoteId } = named(effect);
  const isId = remoteId !== null && remoteId !== '' && isTidy(remoteId) && !isLongerThan(remoteId, 255);
  return isId ? { kind, remoteId } : { kind: null, remoteId: null };
}

function named(effect: InboundEffect): InboundSubject {
  switch (effect.kind) {
    case 'none':
      return { kind: null, remoteId: null };
    case 'read_back':
      return { kind: effect.of, remoteId: effect.remoteId };
    case 'candidate':
      return { kind: 'candidate', remoteId: effect.candidate.remoteId };
    case 'job':
      return { kind: 'job', remoteId: effect.job.remoteId };
    case 'gone':
      return { kind: effect.gone.kind, remoteId: effect.gone.remoteId };
  }
}

/** Returns whether the time of an event is in the future: nothing could change its record until then. */
export function isFromTheFuture(at: Date | null, now: Date): boolean {
  return at !== null && at.getTime() > now.getTime() + AHEAD_MS;
}
