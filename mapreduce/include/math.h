/* The part of the C library's <math.h> that is there without one: the same code on cores and host. */
#ifndef SCALEIN_MATH_H
#define SCALEIN_MATH_H

#define NAN __builtin_nanf("")
#define INFINITY __builtin_inff()
#define HUGE_VAL __builtin_inf()
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)
#define signbit(x) __builtin_signbit(x)

double sqrt(double), fabs(double), floor(double), ceil(double), trunc(double), round(double);
double exp(double), exp2(double), log(double), log2(double), log10(double);
double sin(double), cos(double), tan(double);
double fmod(double, double), fmax(double, double), fmin(double, double), fma(double, double, double);
double copysign(double, double);

float sqrtf(float), fabsf(float), floorf(float), ceilf(float), truncf(float), roundf(float);
float expf(float), exp2f(float), logf(float), log2f(float), log10f(float);
float sinf(float), cosf(float), tanf(float);
float fmodf(float, float), fmaxf(float, float), fminf(float, float), fmaf(float, float, float);
float copysignf(float, float);

#endif
