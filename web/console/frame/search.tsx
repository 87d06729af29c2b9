import { Combobox, ComboboxItem, ComboboxList, ComboboxProvider, useComboboxStore } from '@ariakit/react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useEffect, useState, type KeyboardEvent } from 'react';
import { read } from '../../api/client.js';
import { Dialog } from '../../parts/dialog.js';
import { ProblemBox } from '../../parts/problem.js';
import { State } from '../../parts/state.js';
import { text } from '../../text/text.js';
import { pageOf, PAGE_HITS, type Hit } from './search.rules.js';

const TONES = { active: 'good', inactive: 'neutral', held: 'attention' } as const;

/** Search over users, directories, groups, ids of any kind and pages. */
export function Search({ close }: { close: () => void }) {
  const [typed, setTyped] = useState('');
  const [opensFirst, setOpensFirst] = useState(false);
  const combobox = useComboboxStore({
    setValue: (value) => {
      setTyped(value);
      setOpensFirst(false);
    },
  });
  const asked = useDeferredValue(typed.trim());
  const navigate = useNavigate();
  const found = useQuery({
    queryKey: ['/search', asked],
    queryFn: () => read<{ data: Hit[] }>('/search', { q: asked }),
    enabled: asked !== '',
  });
  const pages = PAGE_HITS.filter(({ title }) => title.toLowerCase().startsWith(asked.toLowerCase()));
  const hits = [...(found.data?.data ?? []), ...pages];
  const open = (hit: Hit): void => {
    close();
    void navigate({ to: pageOf(hit) });
  };
  const isSettled = asked === typed.trim() && !found.isFetching;
  // Enter can be faster than the answer, and what is chosen then is a hit of the former text, or none.
  const onEnter = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || (isSettled && combobox.item(combobox.getState().activeId) !== null)) return;
    event.preventDefault();
    event.stopPropagation();
    setOpensFirst(true);
  };
  useEffect(() => {
    if (!opensFirst || !isSettled) return;
    setOpensFirst(false);
    if (hits[0] !== undefined) open(hits[0]);
  });
  return (
    <Dialog title={text.search.title} onClose={close}>
      <ComboboxProvider store={combobox} open>
        <Combobox
          className="search-field"
          aria-label={text.search.title}
          placeholder={text.search.help}
          maxLength={100}
          onKeyDownCapture={onEnter}
          autoSelect
          autoFocus
        />
        {found.error !== null && <ProblemBox error={found.error} />}
        <ComboboxList alwaysVisible aria-label={text.search.hits}>
          {hits.map((hit) => (
            <ComboboxItem
              key={`${hit.kind} ${hit.id}`}
              className="menu-item"
              value={hit.title}
              setValueOnClick={false}
              onClick={() => open(hit)}
            >
              {hit.state !== undefined && <State tone={TONES[hit.state]}>{text.search.states[hit.state]}</State>}{' '}
              <span>{hit.title}</span>{' '}
              <span className="help">{[text.search.kinds[hit.kind], hit.detail].filter(Boolean).join(' · ')}</span>
            </ComboboxItem>
          ))}
        </ComboboxList>
        {asked !== '' && !found.isFetching && hits.length === 0 && <p className="help">{text.search.none}</p>}
      </ComboboxProvider>
    </Dialog>
  );
}
