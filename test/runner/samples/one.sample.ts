// The two files of this text run in one process, one after the other.
it('fine: does not see what the other file set', () => {
  expect(process.env['SAMPLE']).toBeUndefined();
  process.env['SAMPLE'] = 'set';
});
