#include "small.h"

int main(void)
{
    start();
    aclrtStream stream = NULL;
    must(aclrtCreateStream(&stream));
    must(aclFinalize());
    return 0;
}
