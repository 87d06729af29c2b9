/** `attrPath` as written (RFC 7644 §3.4.2.2, §3.10): which attribute it means is settled by `resolve.ts`. */
export interface AttributePath {
  readonly urn: string | null;
  readonly attr: string;
  readonly sub: string | null;
}

export type CompareOp = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';

export type Literal = string | number | boolean | null;

/** A filter as written. `and` and `or` have two terms or more. */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Filter[] }
  | { readonly kind: 'not'; readonly term: Filter }
  | { readonly kind: 'present'; readonly path: AttributePath }
  | {
      readonly kind: 'compare';
      readonly path: AttributePath;
      readonly op: CompareOp;
      readonly value: Literal;
    }
  | { readonly kind: 'valuePath'; readonly path: AttributePath; readonly filter: Filter };

/** The path of a PATCH operation: `attrPath / valuePath [subAttr]` (RFC 7644 §3.5.2). */
export interface PatchPath {
  readonly path: AttributePath;
  readonly filter: Filter | null;
  /** The sub-attribute behind a value path; without a value path it is part of `path`. */
  readonly sub: string | null;
}
