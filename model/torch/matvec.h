// matvec sets y[i] to the product of row i of w [rows, cols] and x, or adds it
// where add is not 0. The rows are shared among so many threads.
void matvec(const float *w, const float *x, float *y, long rows, long cols, int add, int threads);
