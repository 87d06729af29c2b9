it('fine: before the rejection', () => undefined);

afterAll(() => {
  void Promise.reject(new Error('unknown'));
});
