import { useState, type SyntheticEvent } from 'react';
import type { Problem } from '../../api/client.js';
import { ProblemBox } from '../../parts/problem.js';
import { text } from '../../text/text.js';

/**
 * Returns the address that signs a user in through the connection of the e-mail, and comes back to this page.
 *
 * @param isAnew the IdP asks for the password again, although the user is signed in there
 */
export function signInAddress(email: string, isAnew: boolean): string {
  const query = new URLSearchParams({ email, return_to: location.pathname + location.search });
  if (isAnew) query.set('prompt', 'login');
  return `/api/auth/login?${query.toString()}`;
}

/** The way in for a user of a tenant: the tenant's own sign-in. */
export function SignInPage({ refusal }: { refusal: Problem }) {
  const [email, setEmail] = useState('');
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    // A form that is sent could not be redirected to an IdP: the policy of this page admits its own origin alone.
    location.assign(signInAddress(email, refusal.code === 'sign_in_again'));
  };
  const isStranger = refusal.status === 403 && refusal.code === 'not_an_administrator';
  return (
    <main className="entry stack">
      <h1>{text.entry.title}</h1>
      {isStranger && <ProblemBox error={refusal} />}
      {refusal.status === 403 && !isStranger && <ProblemBox error={refusal} />}
      <p>{isStranger ? text.entry.needsRole : text.entry.lead}</p>
      <form className="stack" onSubmit={submit}>
        <label>
          {text.entry.email}
          <input
            type="email"
            required
            autoComplete="username"
            value={email}
            onChange={({ target }) => setEmail(target.value)}
          />
        </label>
        <button type="submit" className="main">
          {text.entry.signIn}
        </button>
      </form>
      <p className="help">{text.entry.byLink}</p>
    </main>
  );
}
