#include "small.h"

int main(void)
{
    start();
    aclrtContext context = NULL;
    must(aclrtCreateContext(&context, 0));
    end();
    return 0;
}
