import type { RefusalReason } from './sign-in-refused.js';

/**
 * What a person reads about a refusal, and the way to continue. The reason itself is for the log: it would help
 * attackers.
 */
export interface PlainRefusal {
  status: number;
  title: string;
  said: string;
  /** `again`: sign in again; `other`: with another account; `home`: the home page; `none`: only people can help. */
  way: 'again' | 'other' | 'home' | 'none';
}

const OVER: PlainRefusal = {
  status: 400,
  title: 'This sign-in has expired',
  said: 'It may have been open too long or already used. Please start again.',
  way: 'again',
};
/** A browser that sends no cookie at all would fail again, so the text says what to change first. */
export const NO_COOKIES: PlainRefusal = {
  status: 400,
  title: 'Your browser blocks our cookies',
  said: 'Signing in needs a cookie of this site, and your browser did not send it back. Allow cookies for this site, or open it in a normal window, then sign in again.',
  way: 'again',
};
const CHANGED: PlainRefusal = {
  status: 409,
  title: 'Something has changed meanwhile',
  said: 'Your account, or your company’s sign-in, was changed while you were signing in. Begin once more.',
  way: 'again',
};
const BAD_ANSWER: PlainRefusal = {
  status: 401,
  title: 'We could not sign you in',
  said: 'Your company’s sign-in answered in a way that we cannot accept. Trying again helps if it was a slip; if not, your IT team can find out more with the support id.',
  way: 'again',
};

const TEXTS: Partial<Record<RefusalReason, PlainRefusal>> = {
  state_unknown: OVER,
  state_used: OVER,
  state_expired: OVER,
  other_browser: OVER,
  connection_changed: CHANGED,
  account_changed: CHANGED,
  landing_lost: {
    status: 400,
    title: 'Your browser has lost the sign-in',
    said: 'Your company’s sign-in was accepted, but your browser came back without its cookie, or too late. Allow cookies for this site, then sign in again.',
    way: 'again',
  },
  idp_session_ended: {
    status: 403,
    title: 'You have signed out',
    said: 'Your company’s sign-in says that you have signed out in the meantime. Sign in again if you want to go on.',
    way: 'again',
  },
  unsolicited: {
    status: 403,
    title: 'Please begin here',
    said: 'Your company’s sign-in sent you here without having been asked, and your company does not allow that. Begin your sign-in here.',
    way: 'again',
  },
  too_many_tries: {
    status: 429,
    title: 'Too many tries',
    said: 'There were many sign-ins in a short time. Wait a few minutes and try again.',
    way: 'none',
  },
  idp_error: {
    status: 401,
    title: 'Your company’s sign-in did not let you through',
    said: 'It was cancelled, or your account is not allowed to use this application there. Your IT team decides who is.',
    way: 'other',
  },
  status_not_success: {
    status: 401,
    title: 'Your company’s sign-in did not let you through',
    said: 'It was cancelled, or your account is not allowed to use this application there. Your IT team decides who is.',
    way: 'other',
  },
  idp_unreachable: {
    status: 503,
    title: 'Your company’s sign-in cannot be reached',
    said: 'It does not answer just now. Try again in a moment; if it stays like this, tell your IT team.',
    way: 'again',
  },
  connection_disabled: {
    status: 403,
    title: 'This sign-in is switched off',
    said: 'Your company has switched this way of signing in off. Your IT team knows which one is right.',
    way: 'none',
  },
  unknown_account: {
    status: 403,
    title: 'There is no account for you yet',
    said: 'You signed in at your company, but nobody has given this account access here. If you have another one, use that; otherwise ask your IT team for access.',
    way: 'other',
  },
  account_inactive: {
    status: 403,
    title: 'Your account is deactivated',
    said: 'You signed in at your company, but your access here has ended. If that is a mistake, your IT team can give it back.',
    way: 'other',
  },
  account_deleted: {
    status: 403,
    title: 'Your account was removed',
    said: 'You signed in at your company, but your account here was removed. Signing in does not bring it back; your IT team can.',
    way: 'other',
  },
  account_held: {
    status: 403,
    title: 'Your account is not ready yet',
    said: 'It is there, but something about it still has to be settled by your IT team, such as your role.',
    way: 'other',
  },
  no_seat: {
    status: 403,
    title: 'All seats are taken',
    said: 'Your company has no free seat just now. You get the next one as soon as there is one; your IT team can also free one.',
    way: 'other',
  },
  bound_to_another: {
    status: 403,
    title: 'This account belongs to another sign-in',
    said: 'Somebody signs in here already as this person, by another account of your company. Use that account, or ask your IT team.',
    way: 'other',
  },
  email_missing: {
    status: 403,
    title: 'Your e-mail is missing',
    said: 'Your company’s sign-in has not told us your e-mail address, and without one no account can be made. Your IT team can add it.',
    way: 'other',
  },
  email_unverified: {
    status: 403,
    title: 'Your e-mail is not confirmed',
    said: 'Your company’s sign-in says that nobody has confirmed your e-mail address yet. Confirm it there, then sign in again.',
    way: 'other',
  },
  email_outside_domains: {
    status: 403,
    title: 'There is no account for you yet',
    said: 'The e-mail of this account is none of your company’s. If you have another account, use that; otherwise ask your IT team.',
    way: 'other',
  },
  account_taken: {
    status: 403,
    title: 'There is somebody with this e-mail already',
    said: 'Another account here has your user name or e-mail. Your IT team can see which one, and put it right.',
    way: 'other',
  },
  authentication_too_weak: {
    status: 403,
    title: 'A stronger sign-in is needed',
    said: 'Your company demands a second factor, or a fresh sign-in, for this application. Sign in again and use it.',
    way: 'again',
  },
};

/** Returns the text of a reason. Details stay in the log of the tenant. */
export function plainRefusal(reason: RefusalReason): PlainRefusal {
  return TEXTS[reason] ?? BAD_ANSWER;
}

/**
 * Returns the text for a logout message of an IdP that a browser brought.
 *
 * @param answers the message claims to respond to a logout that began here. Any site can send a signed-in browser here,
 *   so the text has to be true for that browser, too
 */
export function plainLogoutRefusal(reason: RefusalReason, answers: boolean): PlainRefusal {
  const { status } = plainRefusal(reason);
  if (answers) {
    return {
      status,
      title: 'Your company has not confirmed the sign-out',
      said: 'If you have signed out here, that is done. What your company’s sign-in answered to it cannot be believed, so you may still be signed in there: to be sure, sign out there as well.',
      way: 'home',
    };
  }
  return {
    status,
    title: 'The sign-out did not come through',
    said: 'Your company’s sign-in asked us to sign you out, in a way that we cannot accept. You may still be signed in here: there you can sign out yourself.',
    way: 'home',
  };
}

/** Whether a refusal is harmless: the same answer came again, or too late. A browser with a session goes on. */
export function isStale(reason: RefusalReason): boolean {
  return ['state_unknown', 'state_used', 'state_expired', 'other_browser'].includes(reason);
}
