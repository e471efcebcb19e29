#include "small.h"

int main(void)
{
    start();
    aclrtContext context = NULL;
    must(aclrtCreateContext(&context, 0));
    must(aclrtDestroyContext(context));
    end();
    return 0;
}
