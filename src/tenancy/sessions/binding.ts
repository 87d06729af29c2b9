/** How a subject of an IdP was linked to a user: by the immutable id, by a name, by the e-mail, or by creating the user. */
export type LinkKind = 'claim' | 'user_name' | 'email' | 'created';

/** The link between a subject of an IdP and a user, and what it was made of. */
export interface Binding {
  subject: string;
  user_id: string;
  made_by: LinkKind;
  /** The value that matched. Of `created`: the subject, or empty while the binding is unproven (`isUnproven`). */
  made_of: string;
}

/** A binding as it is stored: whether it has ended, and whether it ended because its user was removed. */
export interface StoredBinding extends Binding {
  ended: boolean;
  removed: boolean;
}

/** What a new binding takes the place of: the former subject of its user, and the former user of its subject. */
export interface Replaced {
  subject: string | null;
  userId: string | null;
}

/** A binding as administrators see it. */
export interface BindingFacts {
  subject: string;
  made_by: LinkKind;
  made_of: string;
  created_at: Date;
  last_sign_in_at: Date;
  ended_at: Date | null;
  end_reason: string | null;
}

/** The columns of {@link BindingFacts}, of the binding `i`. */
export const BINDING_FACTS = `i.subject, i.made_by, i.made_of, i.created_at, i.last_sign_in_at, i.ended_at, i.end_reason`;
