#include "small.h"

int main(void)
{
    must(aclrtSetDevice(0));
    must(aclInit(NULL));
    end();
    return 0;
}
