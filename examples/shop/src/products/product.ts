export type Product = {
  id: string;
  title: string;
  description: string;
  /** Whole cents. */
  price: number;
  stock: number;
};
