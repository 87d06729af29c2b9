/** What somebody is to the platform. */
export type TargetState = 'active' | 'inactive' | 'deleted';

/** Why the platform has to be asked before anything is written. */
export interface Lookup {
  /**
   * `conflict`: a write met an account that is there already. `gone`: the platform does not know the id any more.
   * `lost`: a create was given up without ever learning its outcome. `no_id`: a create was answered without an id.
   * `dissolved`: what was in the way is not there any more; that one is written again and not asked. `found`: an account
   * was found and bound; before it is written to, it is made sure that nobody else found it at the same moment.
   */
  why: 'conflict' | 'gone' | 'lost' | 'no_id' | 'dissolved' | 'found';
  /** The account that the platform named beside its refusal. */
  id?: string;
  status?: number;
  /** How often a conflict dissolved so far. */
  dissolved?: number;
  /** How often this waited so far for somebody else's delivery. */
  waited?: number;
  /** The platform's own words, for whoever has to decide when nothing is found. */
  detail?: string;
}

/**
 * One thing to be said to the platform. It is written down before it is said, in the columns of its lane, and all bytes
 * of the request are a pure function of it: a call whose outcome is unknown can be repeated word for word.
 */
export interface Call {
  /** The version of the rendering: a newer one must still render older calls as they were. */
  v: 1;
  /** The how manieth call of its lane this is. */
  n: number;
  /** The lease under which it was made. */
  by: string;
  state: TargetState;
  /** The person as JSON text. */
  person: string;
  /** What becomes of an account whose person is inactive or deleted. */
  as: 'inactive' | 'delete';
  /** The platform is known to have just this. */
  same: boolean;
  first: number;
  through: number;
  round: number;
  epoch: number;
  platform_id: string | null;
  confirmed: TargetState | null;
  lookup: Lookup | null;
}

/**
 * The name of a call over all its repetitions. The lease in it keeps a database that was restored from yesterday's
 * backup from saying something new under a name that the platform remembers.
 */
export function deliveryId(userId: string, call: Call): string {
  return `dlv_${userId}_${call.n}_${call.by.slice(0, 8)}`;
}

/** A lane in our hands until `claimedAt` + lease. */
export interface LeasedLane {
  userId: string;
  token: string;
  call: Call;
  /** The call was made by this claim: nobody can have sent it yet. */
  fresh: boolean;
  /** Failures in a row, which only set the pace. */
  tries: number;
  /** Monotonic milliseconds of the claim. */
  claimedAt: number;
}
