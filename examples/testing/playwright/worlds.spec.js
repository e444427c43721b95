import { expect } from '@playwright/test';
import { test } from './world.js';

const password = 'correct horse battery';

/** Create a user in Acme. */
async function person(sallyport, email) {
  const user = await sallyport.userManagement.createUser({ email, password, emailVerified: true });
  await sallyport.userManagement.createOrganizationMembership({ userId: user.id, organizationId: 'org_acme' });
  return user;
}

// Ten tests, one per worker. They run at the same time with the same email addresses.
for (let number = 0; number < 10; number++)
  test(`round ${number}: people, sessions and time are those of this worker`, async ({
    browser,
    baseURL,
    page,
    sallyport,
    workerName,
    world,
  }) => {
    const [ada, own] = ['ada@acme.test', `${workerName}-${number}@acme.test`];
    await sallyport.userManagement
      .listUsers({ email: ada })
      .then(async ({ data: [known] }) => known ?? person(sallyport, ada));
    const user = await person(sallyport, own);

    // Signed in without a browser.
    const { storageState } = await world.signInAs(user);
    const context = await browser.newContext({ storageState: storageState(baseURL), baseURL });
    const signedIn = await context.newPage();
    await signedIn.goto('/account');
    // Load the page again if the application could not fetch the keys in time, for example while ten browsers start.
    await expect
      .poll(async () => {
        const heading = await signedIn.getByRole('heading').textContent();
        if (heading !== own) await signedIn.reload();
        return heading;
      })
      .toBe(own);

    // Signed in on the hosted page.
    await page.goto('/account');
    await page.getByLabel('Email address').fill(ada);
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect(page.getByRole('heading')).toHaveText(ada);
    await world.expectEvent('session.created', { userId: user.id });

    // Users of other workers are not visible.
    await signedIn.goto('/people');
    const others = (await signedIn.getByRole('listitem').allTextContents()).filter((email) => email !== ada);
    expect(others.every((email) => email.startsWith(`${workerName}-`))).toBe(true);
    expect(others).toContain(own);

    // Each worker moves its own clock by days.
    await world.clock.reset();
    const { id } = await sallyport.userManagement.sendInvitation({
      email: `new-${number}@acme.test`,
      expiresInDays: 7,
    });
    const days = Number(workerName.slice(1)) + 1;
    await world.clock.advance(`${days}d`);
    const { state } = await sallyport.userManagement.getInvitation(id);
    expect(state).toBe(days >= 7 ? 'expired' : 'pending');
    await world.clock.reset();
    await context.close();
  });

test('a user who signs out is signed out', async ({ browser, baseURL, sallyport, workerName, world }) => {
  const user = await person(sallyport, `leaving-${workerName}@acme.test`);
  const { storageState } = await world.signInAs(user);
  const context = await browser.newContext({ storageState: storageState(baseURL), baseURL });
  const page = await context.newPage();
  await page.goto('/account');

  await page.getByRole('button', { name: 'Sign out' }).click();

  await world.expectEvent('session.revoked', { userId: user.id });
  await page.goto('/account');
  await expect(page).not.toHaveURL(/\/account/);
  await context.close();
});
