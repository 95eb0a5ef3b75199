/* Multiplication and division of 64-bit cores without the M extension, one bit at a time.
 *
 * compiler-rt's own functions of these names use the operators, which such a core has only as these functions.
 */

typedef unsigned long word;
typedef signed long sword;

word __muldi3(word a, word b) {
  word product = 0;
  for (; b; b >>= 1, a <<= 1)
    if (b & 1) product += a;
  return product;
}

/* As the M extension says: division by zero gives all ones, and the dividend as remainder. */
static word divide(word a, word b, word *remainder) {
  word quotient = 0, rest = 0;
  for (int bit = 8 * (int)sizeof(word) - 1; bit >= 0; bit--) {
    const word carry = rest >> (8 * sizeof(word) - 1);
    rest = rest << 1 | (a >> bit & 1);
    quotient <<= 1;
    if (carry || rest >= b) {
      rest -= b;
      quotient |= 1;
    }
  }
  *remainder = rest;
  return quotient;
}

word __udivdi3(word a, word b) {
  word remainder;
  return divide(a, b, &remainder);
}

word __umoddi3(word a, word b) {
  word remainder;
  divide(a, b, &remainder);
  return remainder;
}

sword __divdi3(sword a, sword b) {
  word remainder;
  const word quotient = divide(a < 0 ? -(word)a : (word)a, b < 0 ? -(word)b : (word)b, &remainder);
  return (sword)((a < 0) != (b < 0) && b ? -quotient : quotient);
}

sword __moddi3(sword a, sword b) {
  word remainder;
  divide(a < 0 ? -(word)a : (word)a, b < 0 ? -(word)b : (word)b, &remainder);
  return (sword)(a < 0 ? -remainder : remainder);
}
