import { Combobox, ComboboxItem, ComboboxList, ComboboxProvider } from '@ariakit/react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { read } from '../../api/client.js';
import { Dialog } from '../../parts/dialog.js';
import { ProblemBox } from '../../parts/problem.js';
import { text } from '../../text/text.js';
import { pageOf, PAGE_HITS, type Hit } from './search.rules.js';

/** Search over users, directories, groups, ids of any kind and pages. */
export function Search({ close }: { close: () => void }) {
  const [typed, setTyped] = useState('');
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
  return (
    <Dialog title={text.search.title} onClose={close}>
      <ComboboxProvider open setValue={setTyped}>
        <Combobox
          className="search-field"
          aria-label={text.search.title}
          placeholder={text.search.help}
          maxLength={100}
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
