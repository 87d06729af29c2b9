import { text } from '../text/text.js';

/** Says that an act takes the console from administrators, and has it confirmed apart from the act. */
export function Administrators({
  words,
  isAgreed,
  onAgree,
}: {
  /** Their number, and what happens to them. */
  words: string;
  isAgreed: boolean;
  onAgree: (isAgreed: boolean) => void;
}) {
  return (
    <div className="problem-box tight" role="alert">
      <p>
        <b>{words}</b>
      </p>
      <label className="row" style={{ alignItems: 'center' }}>
        <input type="checkbox" checked={isAgreed} onChange={({ target }) => onAgree(target.checked)} />
        {text.administrators.agree}
      </label>
    </div>
  );
}
