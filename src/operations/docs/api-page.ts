// What is ours of the page /docs/api, which Swagger UI makes in the browser.

/** The lists of Swagger UI (Immutable.js), as far as the search needs them. */
interface Collection {
  map(change: (one: Collection) => unknown): Collection;
  filter(test: (one: Collection) => boolean): Collection;
  get(name: string): Collection & string;
  getIn(path: readonly string[]): (Collection & string) | undefined;
  set(name: string, value: unknown): Collection;
  readonly size: number;
}

/** What a plugin of Swagger UI gets, as far as the search needs it. */
interface SwaggerUi {
  readonly React: { createElement(type: string, props: object, ...children: unknown[]): unknown };
}
interface FilterProps {
  readonly layoutSelectors: { currentFilter(): string | boolean | null };
  readonly layoutActions: { updateFilter(text: string): void };
}

/**
 * A plugin of Swagger UI: its filter finds operations by all words of address, summary, description and parameters,
 * where it would only compare the names of groups. The browser gets the function as text, so it uses nothing from here.
 */
export function searchPlugin({ React }: SwaggerUi): object {
  return {
    components: {
      FilterContainer({ layoutSelectors, layoutActions }: FilterProps) {
        const filter = layoutSelectors.currentFilter();
        const input = React.createElement('input', {
          className: 'operation-filter-input',
          type: 'search',
          placeholder: 'Search: address, summary, parameter',
          'aria-label': 'Search the operations',
          value: typeof filter === 'string' ? filter : '',
          onChange: ({ target }: { target: { value: string } }) => layoutActions.updateFilter(target.value),
        });
        return React.createElement('div', { className: 'filter wrapper' }, input);
      },
      // The search does not reach the section of webhooks. The page of events shows each of them.
      Webhooks: () => null,
    },
    fn: {
      opsFilter(tagged: Collection, phrase: string): Collection {
        const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
        const matches = (one: Collection) => {
          const operation = one.get('operation');
          const parameters = operation.get('parameters') as Collection | undefined;
          const texts = [
            one.get('method'),
            one.get('path'),
            operation.get('summary'),
            operation.get('description'),
            operation.getIn(['tags', '0']),
            parameters === undefined ? '' : JSON.stringify(parameters),
          ];
          const text = texts.join(' ').toLowerCase();
          return words.every((word) => text.includes(word));
        };
        return tagged
          .map((tag) => tag.set('operations', tag.get('operations').filter(matches)))
          .filter((tag) => tag.get('operations').size > 0);
      },
    },
  };
}

/** The style of the page beside that of Swagger UI: a phone has one column, and tables that scroll on their own. */
export const PAGE_CSS = `
body { margin: 0; background: #fff; }
.swagger-ui .topbar { display: none; }
.swagger-ui .information-container .info { margin: 24px 0; }
.swagger-ui .filter .operation-filter-input { width: 100%; max-width: 32rem; margin: 12px 0; font-size: 16px; }
.swagger-ui .markdown p, .swagger-ui .markdown li { line-height: 1.5; }
.swagger-ui .opblock-description-wrapper, .swagger-ui .table-container, .swagger-ui .responses-inner { overflow-x: auto; }
@media (max-width: 640px) {
  .swagger-ui .info .title { font-size: 28px; }
  .swagger-ui .wrapper { padding: 0 12px; }
  .swagger-ui .opblock .opblock-summary-control { align-items: flex-start; }
  .swagger-ui .opblock .opblock-summary-path-description-wrapper { flex-direction: column; align-items: flex-start; gap: 2px; padding: 6px 0 6px 8px; }
  .swagger-ui .opblock .opblock-summary-path { flex: none; max-width: 100%; font-size: 14px; word-break: break-word; }
  .swagger-ui .opblock .opblock-summary-description { flex: none; font-size: 14px; }
  .swagger-ui .opblock .opblock-summary-method { min-width: 60px; font-size: 12px; margin-top: 6px; }
  .swagger-ui .opblock .view-line-link.copy-to-clipboard { display: none; }
  .swagger-ui .opblock-tag { position: relative; flex-wrap: wrap; font-size: 20px; padding-right: 48px; }
  .swagger-ui .opblock-tag small { flex: 1 1 100%; padding: 4px 0; }
  .swagger-ui .opblock-tag .expand-operation { position: absolute; right: 8px; top: 10px; }
  .swagger-ui table.parameters, .swagger-ui table.parameters tbody, .swagger-ui table.parameters tr, .swagger-ui table.parameters td { display: block; width: auto; }
  .swagger-ui table.parameters thead { display: none; }
  .swagger-ui .parameters-col_name { padding-bottom: 0; }
  .swagger-ui table.responses-table, .swagger-ui table.responses-table > tbody, .swagger-ui tr.response, .swagger-ui tr.response > td { display: block; width: auto; }
  .swagger-ui table.responses-table > thead { display: none; }
  .swagger-ui .response-col_links { display: none !important; }
  .swagger-ui .opblock-body pre.microlight { font-size: 12px; }
}
`;
