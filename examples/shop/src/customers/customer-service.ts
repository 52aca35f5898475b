import { randomUUID } from 'node:crypto';
import { checkPassword, hashPassword } from '../auth/passwords.ts';
import { badRequest, conflict, unauthorized } from '../errors.ts';
import type { Store } from '../storage/store.ts';

export type Customer = { id: string; email: string; passwordHash: string };

const minimumPasswordLength = 8;

export class CustomerService {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async register(email: string, password: string): Promise<Customer> {
    if (!email.includes('@')) throw badRequest('The e-mail address is not valid.');
    if (password.length < minimumPasswordLength) {
      throw badRequest(`A password has at least ${minimumPasswordLength} characters.`);
    }
    if ((await this.#findByEmail(email)) !== undefined) {
      throw conflict('email_taken', 'There is already a customer with this e-mail address.');
    }
    const customer = { id: randomUUID(), email, passwordHash: hashPassword(password) };
    await this.#store.put('customers', customer.id, customer);
    return customer;
  }

  async signIn(email: string, password: string): Promise<Customer> {
    const customer = await this.#findByEmail(email);
    if (customer === undefined || !checkPassword(password, customer.passwordHash)) {
      throw unauthorized('E-mail address or password is wrong.');
    }
    return customer;
  }

  async #findByEmail(email: string): Promise<Customer | undefined> {
    const all = await this.#store.list<Customer>('customers');
    return all.find((customer) => customer.email.toLowerCase() === email.toLowerCase());
  }
}
