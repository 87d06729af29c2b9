import { RouterProvider } from '@tanstack/react-router';
import { useState } from 'react';
import { Problem } from '../../api/client.js';
import { useMe } from '../../api/session.js';
import { ProblemBox } from '../../parts/problem.js';
import { router } from '../routes.js';
import { LinkPage } from './link-page.js';
import { SignInPage } from './sign-in-page.js';

/** Shows the console to those who may enter, and the way in to all others. */
export function Gate({ secret }: { secret: string | null }) {
  const [isLinkOpen, setLinkOpen] = useState(secret !== null);
  if (secret !== null && isLinkOpen) return <LinkPage secret={secret} done={() => setLinkOpen(false)} />;
  return <Session />;
}

function Session() {
  const me = useMe();
  if (me.data !== undefined) return <RouterProvider router={router} />;
  if (me.isPending) return null;
  const { error } = me;
  if (error instanceof Problem && (error.status === 401 || error.status === 403)) return <SignInPage refusal={error} />;
  return (
    <main className="entry">
      <ProblemBox error={error} retry={() => void me.refetch()} />
    </main>
  );
}
