import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../api/client.js';
import {
  changedIn,
  clashesOf,
  isSame,
  keptMine,
  rebased,
  sidesOf,
  takenTheirs,
  type Edited,
  type Side,
} from './edit.rules.js';

/** Returns whether the API refuses a write because of what it has now. */
export function isConflict(error: unknown): error is Problem {
  return error instanceof Problem && (error.status === 409 || error.status === 412);
}

/** The server has something else than the form began with, or refuses the write because of what it has. */
class Clash<T> extends Error {
  constructor(
    readonly now: T,
    readonly problem: Problem | null,
  ) {
    super(problem?.detail ?? 'changed meanwhile');
  }
}

/** Both sides of a refused write, and the two ways out. */
export interface BothSides {
  /** The refusal of the API; null: the form found the change before it wrote. */
  problem: Problem | null;
  sides: Side[];
  takeTheirs: () => void;
  keepMine: () => void;
}

/** A form over an object that others can change too. */
export interface Edit<T extends object> {
  draft: T;
  change: (fields: Partial<T>) => void;
  /** Puts another object in the place of the draft: for objects whose fields come and go. */
  replace: (draft: T) => void;
  save: () => void;
  isSaving: boolean;
  isSaved: boolean;
  error: Error | null;
  both: BothSides | null;
}

interface EditOptions<T extends object> {
  /** The object as the page has read it last; when it is read anew, fields that were not changed follow it. */
  stored: T;
  /** Reads the object now. */
  readNow: () => Promise<T>;
  /** Writes the object; `changed` names the fields that were changed in the form. */
  write: (draft: T, changed: readonly string[]) => Promise<unknown>;
  /** Called when a side was chosen. Left out: the side of the form is saved at once. */
  onChosen?: () => void;
}

/**
 * Edits an object so that no change of others is lost unseen, and nothing that was typed: before it writes it reads the
 * object anew, and where both sides have changed a field it writes nothing and shows both.
 */
export function useEdit<T extends object>({ stored, readNow, write, onChosen }: EditOptions<T>): Edit<T> {
  const cache = useQueryClient();
  const [form, setForm] = useState<Edited<T>>({ base: stored, draft: stored });
  const [seen, setSeen] = useState(stored);
  if (!isSame(seen, stored)) {
    setSeen(stored);
    setForm(rebased(form, stored));
  }
  const saving = useMutation({
    mutationFn: async (asked: Edited<T>) => {
      const now = await readNow();
      const merged = rebased(asked, now);
      if (clashesOf(asked, now).length > 0) throw new Clash(now, null);
      const changed = changedIn(merged);
      if (changed.length === 0) return merged.draft;
      try {
        await write(merged.draft, changed);
      } catch (error) {
        throw isConflict(error) ? new Clash(await readNow(), error) : error;
      }
      return merged.draft;
    },
    onSuccess: async (written, asked) => {
      // What was typed while it was saved is kept.
      setForm((newer) => keptMine({ base: asked.draft, draft: newer.draft }, written));
      await cache.invalidateQueries();
    },
  });
  const set = (draft: T): void => {
    if (saving.isSuccess) saving.reset();
    setForm((former) => ({ ...former, draft }));
  };
  return {
    draft: form.draft,
    change: (fields) => set({ ...form.draft, ...fields }),
    replace: set,
    save: () => saving.mutate(form),
    isSaving: saving.isPending,
    isSaved: saving.isSuccess,
    error: saving.error instanceof Clash ? null : saving.error,
    both: saving.error instanceof Clash ? bothSides(saving.error as Clash<T>) : null,
  };

  function bothSides({ now, problem }: Clash<T>): BothSides {
    const sides = problem === null ? clashesOf(form, now) : sidesOf(changedIn(form), form.draft, now);
    const takeTheirs = (): void => {
      setForm(
        takenTheirs(
          form,
          now,
          sides.map(({ field }) => field),
        ),
      );
      saving.reset();
      onChosen?.();
    };
    const keepMine = (): void => {
      const kept = keptMine(form, now);
      setForm(kept);
      saving.reset();
      if (onChosen === undefined) saving.mutate(kept);
      else onChosen();
    };
    return { problem, sides, takeTheirs, keepMine };
  }
}
