import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.js';
import { ProblemBox } from './problem.js';

/** A button that calls one operation, and reads the page anew. */
export function Act({
  label,
  method = 'POST',
  path,
  body,
  isDangerous,
  onDone,
}: {
  label: string;
  method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  body?: unknown;
  isDangerous?: boolean;
  onDone?: (answer: unknown) => void;
}) {
  const cache = useQueryClient();
  const act = useMutation({
    mutationFn: () => call(method, path, body),
    onSuccess: async (answer) => {
      onDone?.(answer);
      await cache.invalidateQueries();
    },
  });
  return (
    <>
      <button
        type="button"
        className={isDangerous ? 'danger' : undefined}
        disabled={act.isPending}
        onClick={() => act.mutate()}
      >
        {label}
      </button>
      {act.error !== null && <ProblemBox error={act.error} />}
    </>
  );
}
