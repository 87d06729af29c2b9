import type { MissingCookies } from '../requests/sign-in.context.js';
import type { DomainCase, SignInRefusalReason, SignInRefused } from '../sign-in.errors.js';

/** The words for a user about a refusal, and the way to continue. The reason itself is for the log: it would help attackers. */
export interface PlainRefusal {
  status: number;
  title: string;
  said: string;
  /**
   * `again`: sign in again; `other`: with another account; `email`: by the e-mail, which leads to its connection; `home`: the
   * home page; `none`: only people can help.
   */
  way: 'again' | 'other' | 'email' | 'home' | 'none';
}

const OVER: PlainRefusal = {
  status: 400,
  title: 'This sign-in has expired',
  said: 'It may have been open too long or already used. Please start again.',
  way: 'again',
};
/** A browser that sends no cookie at all would fail again, so the text names the remedy first. */
const NO_COOKIES: PlainRefusal = {
  status: 400,
  title: 'Your browser blocks our cookies',
  said: 'Signing in needs a cookie of this site, and your browser did not send it back. Allow cookies for this site, or open it in a normal window, then sign in again.',
  way: 'again',
};
/** The browser has lost the cookie of this sign-in. */
const LOST: PlainRefusal = {
  status: 400,
  title: 'Your browser has lost the sign-in',
  said: 'Your company’s sign-in was accepted, but your browser came back without its cookie, or too late. Allow cookies for this site, then sign in again.',
  way: 'again',
};
const CHANGED: PlainRefusal = {
  status: 409,
  title: 'Something has changed',
  said: 'Your account, or your company’s sign-in, was changed while you were signing in. Start again.',
  way: 'again',
};
const BAD_ANSWER: PlainRefusal = {
  status: 401,
  title: 'We could not sign you in',
  said: 'We cannot accept the answer of your company’s sign-in. Try again. If this continues, your IT team can find the reason with the support id.',
  way: 'again',
};

const TEXTS: Partial<Record<SignInRefusalReason, PlainRefusal>> = {
  state_unknown: OVER,
  state_used: OVER,
  state_expired: OVER,
  other_browser: LOST,
  connection_changed: CHANGED,
  account_changed: CHANGED,
  landing_lost: LOST,
  idp_session_ended: {
    status: 403,
    title: 'You have signed out',
    said: 'Your company’s sign-in says that you have signed out in the meantime. Sign in again to continue.',
    way: 'again',
  },
  unsolicited: {
    status: 403,
    title: 'Please start here',
    said: 'Your company’s sign-in sent you here without a request, which your company does not permit. Start your sign-in here.',
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
    said: 'It was cancelled, or your account is not allowed to use this application there. Ask your IT team for access.',
    way: 'other',
  },
  status_not_success: {
    status: 401,
    title: 'Your company’s sign-in did not let you through',
    said: 'It was cancelled, or your account is not allowed to use this application there. Ask your IT team for access.',
    way: 'other',
  },
  idp_unreachable: {
    status: 503,
    title: 'Your company’s sign-in cannot be reached',
    said: 'It does not answer at the moment. Try again shortly. If this continues, tell your IT team.',
    way: 'again',
  },
  connection_disabled: {
    status: 403,
    title: 'This sign-in is switched off',
    said: 'Your company has switched off this way of signing in. Your IT team knows the right one.',
    way: 'none',
  },
  unknown_account: {
    status: 403,
    title: 'There is no account for you yet',
    said: 'You signed in at your company, but this account has no access here. If you have another account, use that one. Otherwise ask your IT team for access.',
    way: 'other',
  },
  account_inactive: {
    status: 403,
    title: 'Your account is deactivated',
    said: 'You signed in at your company, but your access here has ended. If that is a mistake, your IT team can restore it.',
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
    said: 'Your account exists, but your IT team still has to complete it, for example with a role.',
    way: 'other',
  },
  no_seat: {
    status: 403,
    title: 'All seats are taken',
    said: 'Your company has no free seat at the moment. You get access as soon as a seat is free. Your IT team can also free one.',
    way: 'other',
  },
  bound_to_another: {
    status: 403,
    title: 'This account belongs to another sign-in',
    said: 'Another account of your company already signs in as this user. Use that account, or ask your IT team.',
    way: 'other',
  },
  email_missing: {
    status: 403,
    title: 'Your e-mail is missing',
    said: 'Your company’s sign-in did not send your e-mail address, and a new account needs one. Your IT team can add it.',
    way: 'other',
  },
  email_unverified: {
    status: 403,
    title: 'Your e-mail is not confirmed',
    said: 'Your company’s sign-in says that your e-mail address is not confirmed yet. Confirm it there, then sign in again.',
    way: 'other',
  },
  email_outside_domains: {
    status: 403,
    title: 'There is no account for you yet',
    said: 'Your e-mail address is not one that this service knows for your company. If you have another account, use that one. Otherwise ask your IT team.',
    way: 'other',
  },
  email_ambiguous: {
    status: 403,
    title: 'Your e-mail address belongs to two accounts',
    said: 'Two accounts here have your e-mail address, or are about to get it, so we cannot tell which one is yours. Your IT team can see both and correct one.',
    way: 'other',
  },
  account_taken: {
    status: 403,
    title: 'This e-mail is already in use',
    said: 'Another account here has your user name or e-mail. Your IT team can see which one and correct it.',
    way: 'other',
  },
  authentication_too_weak: {
    status: 403,
    title: 'A stronger sign-in is needed',
    said: 'Your company demands a second factor, or a fresh sign-in, for this application. Sign in again and use it.',
    way: 'again',
  },
};

const DOMAIN_CASES: Readonly<Record<DomainCase, PlainRefusal>> = {
  other_connection: {
    status: 403,
    title: 'Your company has another sign-in for you',
    said: 'Your company signs in e-mail addresses like yours in another way. Start with your e-mail address: it leads to the right one. If you end here again, ask your IT team.',
    way: 'email',
  },
  not_bound: {
    status: 403,
    title: 'This sign-in is not ready for you yet',
    said: 'Your company has not set up this sign-in for e-mail addresses like yours. Your IT team can do that.',
    way: 'other',
  },
};

/** Details stay in the log of the tenant. */
export function plainRefusal(reason: SignInRefusalReason): PlainRefusal {
  return TEXTS[reason] ?? BAD_ANSWER;
}

/** A domain of the tenant has other words than its reason. */
export function plainText({ reason, domainCase }: Pick<SignInRefused, 'reason' | 'domainCase'>): PlainRefusal {
  return domainCase === null ? plainRefusal(reason) : DOMAIN_CASES[domainCase];
}

/**
 * Returns the text for a logout message of an IdP that a browser brought.
 *
 * @param answers the message claims to respond to a logout that began here. Any site can send a signed-in browser here, so the
 *   text has to be true for that browser, too
 */
export function plainLogoutRefusal(reason: SignInRefusalReason, answers: boolean): PlainRefusal {
  const { status } = plainRefusal(reason);
  if (answers) {
    return {
      status,
      title: 'Your company has not confirmed the sign-out',
      said: 'If you signed out here, you are signed out here. We could not verify the answer of your company’s sign-in, so you may still be signed in there. Sign out there as well.',
      way: 'home',
    };
  }
  return {
    status,
    title: 'The sign-out did not succeed',
    said: 'Your company’s sign-in asked us to sign you out, but we cannot accept the request. You may still be signed in here, and can sign out on the next page.',
    way: 'home',
  };
}

export function plainStale(lacks: MissingCookies): PlainRefusal {
  return lacks === 'cookies' ? NO_COOKIES : lacks === 'cookie' ? LOST : OVER;
}

/** Whether the same answer came again, or too late. A browser with a session then continues. */
export function isStale(reason: SignInRefusalReason): boolean {
  return ['state_unknown', 'state_used', 'state_expired', 'other_browser'].includes(reason);
}
