// The fast paths of the service: where each one is, how the built service is changed so that the plain way is taken, and
// the rows of the bench whose user would feel it. Each change names its text exactly, so that a path that has moved is an
// error of the bench and no empty measurement.

/** The head of a function in the built modules, and the statement that lets it answer at once. */
const answers = (head, value) => [head, `${head} return ${value};`];

/**
 * @typedef {object} FastPath
 * @property {string} name as in docs/why/performance.md
 * @property {string[]} files of `src` that would go with it
 * @property {string[]} rows of ./rows.mjs
 * @property {Record<string, [string, string][]>} changes by module of `dist`: a text that is there once, and its replacement
 */

/** @type {FastPath[]} */
export const PATHS = [
  {
    name: 'writes of concurrent requests share a statement',
    files: ['base/database/statement-batches.ts', 'base/gatherer.ts'],
    rows: ['create', 'patch', 'put'],
    changes: {
      'base/database/statement-batches.js': [
        answers(
          'const shape = this.shapes.of(text, statement.layout);',
          'this.db.shaped(shape.text, values).then(({ rows }) => rows)',
        ),
      ],
    },
  },
  {
    name: 'reads by id of concurrent requests share a statement',
    files: ['base/database/record-list.ts'],
    rows: ['read', 'filter'],
    changes: { 'base/database/record-list.js': [answers('read(values, key) {', 'this.rows([{ values, key }])')] },
  },
  {
    name: 'groups of concurrent requests share a statement',
    files: ['directory-sync/users/groups/groups.repository.ts'],
    rows: ['group'],
    changes: {
      'directory-sync/users/groups/groups.repository.js': [
        answers('const { tenantId, directoryId, owners, members } = group;', 'this.alone(group)'),
      ],
    },
  },
  {
    name: 'texts of callers are prepared',
    files: ['base/database/bounded-client.ts', 'base/database/bounded-client.ts'],
    rows: ['create', 'filter', 'page'],
    changes: {
      'base/database/bounded-client.js': [answers('export function shapedStatementName(text) {', 'undefined')],
    },
  },
  {
    name: 'the optimistic write of a user',
    files: ['directory-sync/users/write/write-runner.ts'],
    rows: ['create', 'patch', 'put'],
    changes: {
      'directory-sync/users/write/write-runner.js': [answers('async optimistic(command, ctx, stamp, along) {', 'null')],
    },
  },
  {
    name: 'RecentRows: a row that was just written is not read again',
    files: ['directory-sync/users/write/user-editing.ts'],
    rows: ['patch', 'put'],
    changes: { 'directory-sync/users/write/user-editing.js': [answers('take(tenantId, id) {', 'undefined')] },
  },
  {
    name: 'RefusedNames: a taken name is looked up first',
    files: ['directory-sync/users/write/conflicts.ts'],
    rows: ['conflict'],
    changes: { 'directory-sync/users/write/conflicts.js': [answers('has(directoryId) {', 'false')] },
  },
  {
    name: 'PageMarks: startIndex continues after a known row',
    files: ['directory-sync/routes/page-reader.ts'],
    rows: ['walk'],
    changes: { 'directory-sync/routes/page-reader.js': [answers('find(list, startIndex) {', 'undefined')] },
  },
  {
    name: 'rows are skipped from the nearer end',
    files: ['directory-sync/routes/page-sql.ts'],
    rows: ['deep'],
    changes: {
      'directory-sync/routes/page-reader.js': [['exactTotal: isDeep && ', 'exactTotal: false && ']],
    },
  },
  {
    name: 'light pages: a page of small users is one text',
    files: ['directory-sync/routes/page-reader.ts', 'directory-sync/routes/users/user-lists.ts'],
    rows: ['page'],
    changes: {
      'directory-sync/routes/page-reader.js': [['if (columns.light !== undefined && inOrder', 'if (false && inOrder']],
    },
  },
  {
    name: 'lines of the log are gathered into blocks',
    files: ['base/log/logger.ts'],
    rows: ['read', 'create'],
    changes: {
      'base/log/logger.js': [
        ['destination ?? stdoutBlocks()', 'destination ?? pino.destination({ dest: 1, sync: false, minLength: 4096 })'],
      ],
    },
  },
  {
    name: 'the line of a request is written without a search for secrets',
    files: ['base/log/logger.ts'],
    rows: ['create', 'forward'],
    changes: { 'base/log/logger.js': [answers('if (!this.infoEnabled) return;', 'this.pino.info(fields)')] },
  },
  {
    name: "requests are created with Express's prototypes",
    files: ['base/http/server.ts'],
    rows: ['read', 'create'],
    changes: {
      'base/http/server.js': [
        ['IncomingMessage: bornWith(http.IncomingMessage, app.request),', ''],
        ['ServerResponse: bornWith(http.ServerResponse, app.response),', ''],
      ],
    },
  },
  {
    name: 'plain outcomes are settled without a lock first',
    files: ['engine/delivery/lanes/settle.ts'],
    rows: ['forward'],
    changes: {
      'engine/delivery/lanes/settle.js': [answers('export function plainOf(step, folds = true) {', 'null')],
    },
  },
  {
    name: 'a change of a candidate is written without a lock first',
    files: ['hiring/candidates/candidates.service.ts'],
    rows: ['candidate'],
    changes: {
      'hiring/candidates/candidates.service.js': [
        answers('async changeOptimistically(tenantId, id, change) {', 'null'),
      ],
    },
  },
];
