import {
  keepPreviousData,
  QueryCache,
  MutationCache,
  QueryClient,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { isAttended } from './activity.js';
import { read, Problem, type Options, type Page } from './client.js';
import { ME } from './session.js';
import { endSession } from './session-end.js';

/** Rows of one page of a list. */
const PAGE_SIZE = 200;

function noticeEnd(error: unknown): void {
  if (error instanceof Problem && error.endsSession) endSession(error.code);
}

/** Makes the cache of answers. A refusal is final; a lost answer is asked for again. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        // The question who is there is answered by the way in.
        if (query.queryKey[0] !== ME[0]) noticeEnd(error);
      },
    }),
    mutationCache: new MutationCache({ onError: noticeEnd }),
    defaultOptions: {
      queries: {
        staleTime: 2_000,
        retry: (failures, error) =>
          !(error instanceof Problem && error.status !== 0 && error.status < 500) && failures < 2,
      },
    },
  });
}

/** The interval in which an answer is read anew, while the page is used. */
function again(refetchMs: number | undefined) {
  return refetchMs === undefined ? {} : { refetchInterval: () => (isAttended() ? refetchMs : false) };
}

/**
 * Reads one answer, and keeps the former one while it is read anew.
 *
 * @param refetchMs how often it is read anew while the page is seen
 */
export function useRead<T>(path: string, options: Options = {}, refetchMs?: number) {
  return useQuery({
    queryKey: [path, options],
    queryFn: () => read<T>(path, options),
    placeholderData: keepPreviousData,
    ...again(refetchMs),
  });
}

/** Reads a list page by page. */
export function useList<T>(path: string, options: Options = {}, refetchMs?: number) {
  return useInfiniteQuery({
    queryKey: [path, 'pages', options],
    queryFn: ({ pageParam }) => read<Page<T>>(path, { limit: PAGE_SIZE, ...options, cursor: pageParam ?? undefined }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
    ...again(refetchMs),
  });
}
