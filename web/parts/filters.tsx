import { useNavigate } from '@tanstack/react-router';
import { useState, type SyntheticEvent } from 'react';
import { text } from '../text/text.js';

/** Filters of a list, as they stand in the address. */
export type Filters = Readonly<Record<string, string | undefined>>;

function useFilter(name: string): (value: string) => void {
  const navigate = useNavigate();
  return (value) =>
    void navigate({
      to: '.',
      search: (former: Filters) => ({ ...former, [name]: value === '' ? undefined : value }),
      replace: true,
    });
}

/** A filter with a few values. */
export function Choice({
  name,
  label,
  value,
  values,
}: {
  name: string;
  label: string;
  value: string | undefined;
  values: readonly (readonly [value: string, label: string])[];
}) {
  const set = useFilter(name);
  return (
    <label>
      {label}
      <select value={value ?? ''} onChange={({ target }) => set(target.value)}>
        <option value="">{text.list.all}</option>
        {values.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A filter of free text, which holds once it was entered. `/` leads to it. */
export function SearchField({ name, label, value }: { name: string; label: string; value: string | undefined }) {
  const set = useFilter(name);
  const [typed, setTyped] = useState(value ?? '');
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    set(typed.trim());
  };
  return (
    <form role="search" aria-label={label} className="row" onSubmit={submit}>
      <label>
        {label}
        <input
          type="search"
          data-search
          maxLength={100}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      </label>
      <button type="submit">{text.list.search}</button>
    </form>
  );
}

/** Reads filters from the query of an address: texts, numbers and yes or no. */
export function filtersFrom(names: readonly string[]): (search: Record<string, unknown>) => Filters {
  return (search) =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = search[name];
        return ['string', 'number', 'boolean'].includes(typeof value) ? [[name, String(value)]] : [];
      }),
    );
}

/** A day, such as the end of a range. It holds once its year has four digits: a day that is being typed is not asked for. */
export function DayField({ name, label, value }: { name: string; label: string; value: string | undefined }) {
  const set = useFilter(name);
  const [typed, setTyped] = useState(value ?? '');
  const change = (day: string): void => {
    setTyped(day);
    if (day >= '1000') set(day);
  };
  return (
    <label>
      {label}
      <input
        type="date"
        value={typed}
        onChange={({ target }) => change(target.value)}
        onBlur={() => {
          if (typed === '' && value !== undefined) set('');
        }}
      />
    </label>
  );
}
