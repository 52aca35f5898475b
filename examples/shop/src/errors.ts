/** An error that the caller of the API may see. */
export class ShopError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = 'ShopError';
    this.status = status;
    this.code = code;
  }
}

export const notFound = (what: string) => new ShopError(404, 'not_found', `There is no such ${what}.`);
export const badRequest = (message: string) => new ShopError(400, 'bad_request', message);
export const unauthorized = (message: string) => new ShopError(401, 'unauthorized', message);
export const conflict = (code: string, message: string) => new ShopError(409, code, message);
