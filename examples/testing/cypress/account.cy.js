describe('the account', () => {
  it('is shown to whoever has signed in', () => {
    cy.signInAs('user_ada');
    cy.visit('/account');
    cy.contains('ada@acme.test');
  });
});
