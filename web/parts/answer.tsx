import type { UseInfiniteQueryResult, UseQueryResult, InfiniteData } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import type { Page } from '../api/client.js';
import { text } from '../text/text.js';
import { ProblemBox } from './problem.js';

/** A placeholder that appears after a moment only, and has the height of what comes. */
function Waiting({ height }: { height: number }) {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={isShown ? 'skeleton' : undefined} style={{ height }} role="status">
      <span className="visually-hidden">{isShown ? text.loading : ''}</span>
    </div>
  );
}

/** Shows an answer of the API, or that it is on its way, or why there is none. */
export function Answer<T>({
  query,
  height = 120,
  children,
}: {
  query: UseQueryResult<T>;
  height?: number;
  children: (answer: T) => ReactNode;
}) {
  if (query.data === undefined) {
    if (query.error !== null) return <ProblemBox error={query.error} retry={() => void query.refetch()} />;
    return <Waiting height={height} />;
  }
  return (
    <>
      {query.error !== null && <ProblemBox error={query.error} retry={() => void query.refetch()} />}
      {children(query.data)}
    </>
  );
}

/** Shows a list of the API page by page. `empty` says what will be here, and the next step. */
export function List<T>({
  query,
  empty,
  others = 0,
  children,
}: {
  query: UseInfiniteQueryResult<InfiniteData<Page<T>>>;
  empty: ReactNode;
  /** The rows that the table has beside those of the list. */
  others?: number;
  children: (rows: T[]) => ReactNode;
}) {
  if (query.data === undefined) {
    if (query.error !== null) return <ProblemBox error={query.error} retry={() => void query.refetch()} />;
    return <Waiting height={360} />;
  }
  const rows = query.data.pages.flatMap(({ data }) => data);
  return (
    <>
      {query.error !== null && <ProblemBox error={query.error} retry={() => void query.refetch()} />}
      {rows.length + others === 0 ? <div className="empty">{empty}</div> : children(rows)}
      {rows.length + others > 0 && (
        <p className="row help">
          <span>{text.list.shown(rows.length + others)}</span>
          {query.hasNextPage && (
            <button type="button" disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              {text.list.more}
            </button>
          )}
        </p>
      )}
    </>
  );
}
