/** The data types of RFC 7643 §2.3. */
type AttributeType = 'string' | 'boolean' | 'decimal' | 'integer' | 'dateTime' | 'binary' | 'reference' | 'complex';

/** The `mutability` of an attribute (RFC 7643 §2.2). */
type Mutability = 'readOnly' | 'readWrite' | 'immutable' | 'writeOnly';

/** The `returned` characteristic of an attribute (RFC 7643 §2.2). */
type Returned = 'always' | 'never' | 'default' | 'request';

/** The `uniqueness` of an attribute (RFC 7643 §2.2). */
type Uniqueness = 'none' | 'server' | 'global';

/** The definition of an attribute (RFC 7643 §7), with look-ups for the engine. */
export interface Attribute {
  readonly name: string;
  readonly type: AttributeType;
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact: boolean;
  readonly mutability: Mutability;
  readonly returned: Returned;
  readonly uniqueness: Uniqueness;
  readonly canonicalValues: readonly string[] | null;
  readonly referenceTypes: readonly string[] | null;
  readonly subAttributes: readonly Attribute[];
  /** Sub-attributes by their exact and by their lower-case name. */
  readonly subByName: ReadonlyMap<string, Attribute>;
  /** The most characters of a text. */
  readonly maxLength: number;
  /** Compared as PRECIS user names are (RFC 7644 §5), not just without regard to case. */
  readonly comparedAsUserName: boolean;
  /** Never unassigned: a PATCH cannot clear it, and a PUT that leaves it out keeps it. */
  readonly alwaysAssigned: boolean;
  /** The URN of the extension whose object holds this attribute; null for a core attribute. */
  readonly extension: string | null;
}

/** The characteristics of an attribute that differ from the defaults. */
export type AttributeSpec = Partial<
  Pick<
    Attribute,
    | 'type'
    | 'multiValued'
    | 'required'
    | 'caseExact'
    | 'mutability'
    | 'returned'
    | 'uniqueness'
    | 'canonicalValues'
    | 'referenceTypes'
    | 'subAttributes'
    | 'maxLength'
    | 'comparedAsUserName'
    | 'alwaysAssigned'
  >
>;

/** Above any real value; low enough that one attribute cannot fill a body. */
const MAX_TEXT = 16_384;

/** Creates an attribute; missing characteristics have the defaults of RFC 7643 §2.2. */
export function attribute(name: string, description: string, spec: AttributeSpec = {}): Attribute {
  const type = spec.type ?? 'string';
  const subAttributes = spec.subAttributes ?? [];
  return {
    name,
    type,
    description,
    multiValued: spec.multiValued ?? false,
    required: spec.required ?? false,
    // References and binary values are case exact by definition (RFC 7643 §2.3.6, §2.3.7).
    caseExact: spec.caseExact ?? (type === 'reference' || type === 'binary'),
    mutability: spec.mutability ?? 'readWrite',
    returned: spec.returned ?? 'default',
    uniqueness: spec.uniqueness ?? 'none',
    canonicalValues: spec.canonicalValues ?? null,
    referenceTypes: spec.referenceTypes ?? null,
    subAttributes,
    subByName: byName(subAttributes),
    maxLength: spec.maxLength ?? MAX_TEXT,
    comparedAsUserName: spec.comparedAsUserName ?? false,
    alwaysAssigned: spec.alwaysAssigned ?? false,
    extension: null,
  };
}

/** Returns attributes by exact name, which clients nearly always send, and by lower-case name. */
export function byName(attributes: readonly Attribute[]): Map<string, Attribute> {
  const map = new Map<string, Attribute>();
  for (const each of attributes) {
    map.set(each.name, each);
    map.set(each.name.toLowerCase(), each);
  }
  return map;
}

/** Finds an attribute by its name in any case (RFC 7643 §2.1). */
export function lookUp(map: ReadonlyMap<string, Attribute>, name: string): Attribute | undefined {
  return map.get(name) ?? map.get(name.toLowerCase());
}
