import { Link, Outlet } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { TenantBody } from '../../../src/tenancy/tenants/tenants.dto.js';
import type { Json } from '../../api/client.js';
import { useRead } from '../../api/queries.js';
import { leave, useMe, type Me } from '../../api/session.js';
import { TimeZone } from '../../parts/time.js';
import { text } from '../../text/text.js';
import { OperatorPage } from '../operator/operator-page.js';
import { Keys } from './keys.js';
import { SessionBar } from './session-bar.js';

// The combobox of the search is loaded when it is opened first.
const Search = lazy(() => import('./search.js').then((module) => ({ default: module.Search })));

const PAGES = [
  ['/', text.nav.overview],
  ['/users', text.nav.users],
  ['/held', text.nav.held],
  ['/directories', text.nav.directories],
  ['/seats/{-$tab}', text.nav.seats],
  ['/tasks', text.nav.tasks],
] as const;

/** What stands around each page: navigation, search, who is there, and bars about the session. */
export function Frame() {
  const me = useMe();
  if (me.data?.session.role === 'operator' && me.data.tenant === null) {
    return (
      <main className="frame-page">
        <OperatorPage />
      </main>
    );
  }
  return <TenantFrame me={me.data} />;
}

function TenantFrame({ me }: { me: Me | undefined }) {
  const [isSearching, setSearching] = useState(false);
  const tenant = useRead<Json<TenantBody>>('/tenant');
  return (
    <TimeZone value={tenant.data?.time_zone ?? 'UTC'}>
      <a className="skip" href="#page">
        {text.nav.skip}
      </a>
      <div className="frame">
        <header className="frame-side">
          <p className="frame-tenant">{me?.tenant?.name ?? ''}</p>
          <button type="button" className="frame-search" onClick={() => setSearching(true)}>
            {text.search.title} <kbd>Ctrl K</kbd>
          </button>
          <nav aria-label={text.nav.label}>
            <ul className="plain">
              {PAGES.map(([to, label]) => (
                <li key={to}>
                  <Link
                    to={to}
                    activeOptions={{ exact: to === '/', includeSearch: false }}
                    activeProps={{ 'aria-current': 'page' }}
                  >
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          <Who me={me} />
        </header>
        <div className="frame-page">
          <SessionBar me={me} />
          <main id="page">
            <Outlet />
          </main>
        </div>
      </div>
      {isSearching && (
        <Suspense>
          <Search close={() => setSearching(false)} />
        </Suspense>
      )}
      <Keys search={() => setSearching(true)} />
    </TimeZone>
  );
}

function Who({ me }: { me: Me | undefined }) {
  if (me === undefined) return null;
  const { user, role, by_link } = me.session;
  const end = (): void => void leave().finally(() => location.assign('/console'));
  return (
    <div className="frame-who tight help">
      <p>{user?.email ?? (by_link ? text.nav.byLink : '')}</p>
      <p>{text.roles[role]}</p>
      <button type="button" className="plain" onClick={end}>
        {text.nav.leave}
      </button>
    </div>
  );
}
