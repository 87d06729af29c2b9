afterAll(() => {
  throw new Error('clean-up');
});

it('fine: before the clean-up that fails', () => undefined);
