const STATUS = { skip: 'pending', todo: 'todo' };

/**
 * The result of a spec file in the form of jest (`TestResult` of @jest/test-result), from the results of jest-circus.
 * An error outside of the tests fails the file.
 */
export function resultOf({ path, start, testResults, unhandledErrors }) {
  const tests = testResults.map(({ testPath: [, ...titles], status, errors, ...more }) => ({
    ancestorTitles: titles.slice(0, -1),
    title: titles.at(-1),
    fullName: titles.join(' '),
    status: STATUS[status] ?? (errors.length > 0 ? 'failed' : 'passed'),
    failureMessages: errors,
    failureDetails: [],
    duration: more.duration,
    invocations: more.invocations,
    numPassingAsserts: more.numPassingAsserts,
    location: null,
  }));
  const count = (wanted) => tests.filter(({ status }) => status === wanted).length;
  const failures = [
    ...tests.map((test) => failureText([...test.ancestorTitles, test.title].join(' › '), test.failureMessages)),
    failureText('outside of the tests', unhandledErrors),
  ].filter((text) => text !== null);
  const [first] = unhandledErrors;
  const end = Date.now();
  return {
    testFilePath: path,
    testResults: tests,
    numFailingTests: count('failed'),
    numPassingTests: count('passed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    failureMessage: failures.length === 0 ? null : failures.join('\n'),
    testExecError: first === undefined ? undefined : { message: first, stack: first },
    perfStats: { start, end, runtime: end - start, slow: false },
    snapshot: { added: 0, fileDeleted: false, matched: 0, unchecked: 0, uncheckedKeys: [], unmatched: 0, updated: 0 },
    openHandles: [],
    leaks: false,
    skipped: false,
  };
}

function failureText(title, messages) {
  if (messages.length === 0) return null;
  const texts = messages.map((message) => message.replaceAll(/^/gm, '    '));
  return `  ● ${title}\n\n${texts.join('\n\n')}\n`;
}
