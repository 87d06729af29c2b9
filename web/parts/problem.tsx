import { Problem } from '../api/client.js';
import { text } from '../text/text.js';
import { CopyButton } from './copy-button.js';

/** Says what went wrong: the words of the API, its code, the id of the request, and a way to try again. */
export function ProblemBox({
  error,
  retry,
  retryWords = text.problem.retry,
}: {
  error: unknown;
  retry?: () => void;
  retryWords?: string;
}) {
  const problem = error instanceof Problem ? error : new Problem(0, 'unknown', String(error), null);
  const words = problem.status === 0 ? text.problem.offline : problem.detail;
  return (
    <div className="problem-box tight" role="alert">
      <p>{words}</p>
      {problem.errors.map(({ field, message }) => (
        <p key={field}>
          <code>{field}</code> {message}
        </p>
      ))}
      <p className="help">
        {text.problem.code} <code>{problem.code}</code>
        {problem.requestId !== null && (
          <>
            {' · '}
            {text.problem.request} <code>{problem.requestId}</code> <CopyButton value={problem.requestId} />
          </>
        )}
      </p>
      {retry !== undefined && problem.status !== 403 && (
        <button type="button" onClick={retry}>
          {retryWords}
        </button>
      )}
    </div>
  );
}
